using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    internal sealed class InstallSearch
    {
        public const string Variable = "JETBRAINS_PROFILER_PATH";

        private readonly List<string> lookedAt = new List<string>();
        private readonly List<Install> found = new List<Install>();
        private readonly List<string> warnings = new List<string>();

        private readonly Machine machine;

        private InstallSearch(Machine machine)
        {
            this.machine = machine;
        }

        public IReadOnlyList<string> LookedAt => lookedAt;

        // Each has at least one of the libraries; the first is used.
        public IReadOnlyList<Install> Found => found;

        public Install Used => found.FirstOrDefault();

        public IReadOnlyList<string> Warnings => warnings;

        // A folder that the user gave is the only one searched. Otherwise the folder in the variable is used if it has
        // the central library; else, of the installs in the usual places, the one with the most libraries, the newest
        // of equals.
        public static InstallSearch Run(string givenFolder, Machine machine)
        {
            var search = new InstallSearch(machine);
            if (givenFolder != null)
            {
                var given = search.Look(givenFolder, "--dottrace-dir");
                search.found.AddRange(Useful(given));
                return search;
            }

            var preferred = machine.Variable(Variable);
            var named = preferred == "" ? null : search.Look(preferred, Variable);
            if (named != null && named.IsRecognised)
            {
                search.found.Add(named);
                return search;
            }

            search.LookInUsualPlaces();
            if (named != null && search.Used != null)
            {
                var lack = named.LibraryCount == 0 ? "holds none of JetBrains' reading libraries" : $"lacks {Contract.CentralAssembly}";
                search.warnings.Add($"{Variable} names {preferred}, which {lack}: those in {search.Used.Root} were used");
            }
            else if (named != null)
            {
                // what it lacks is reported when the libraries are bound
                search.found.AddRange(Useful(named));
            }

            return search;
        }

        public Install Require()
        {
            if (Used != null)
            {
                return Used;
            }

            var places = lookedAt.Select(place => Directory.Exists(place) || place.Contains("*") ? place : place + " (no such folder)").ToList();
            var searched = places.Count == 1 ? places[0] : $"{Invariant.Text(places.Count)} places";
            throw new StageException(
                Stage.Decoder,
                $"none of JetBrains' reading libraries ({Contract.CentralAssembly}.dll and others) was found in "
                    + $"{searched}; install Rider or dotTrace, or give its folder with --dottrace-dir or {Variable}",
                string.Join("\n", places.Select(place => "looked in " + place)));
        }

        private void LookInUsualPlaces()
        {
            var installs = new List<Install>();
            foreach (var pattern in Places.PatternsOf(machine))
            {
                lookedAt.Add(pattern);
                var roots = Places.Matching(pattern);
                installs.AddRange(roots.SelectMany(root => Useful(new Install(root, pattern, machine.PrefersNetCore))));
            }

            found.AddRange(installs.OrderByDescending(install => install.LibraryCount).ThenByDescending(install => install.Version));
        }

        private Install Look(string folder, string origin)
        {
            lookedAt.Add(folder);
            return new Install(folder, origin, machine.PrefersNetCore);
        }

        private static IEnumerable<Install> Useful(Install install)
        {
            return install.LibraryCount > 0 ? new[] { install } : new Install[0];
        }
    }
}
