using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>Finds the install whose libraries are used, and records every place searched.</summary>
    internal sealed class InstallSearch
    {
        /// <summary>The environment variable that names a folder to search first.</summary>
        public const string Variable = "JETBRAINS_PROFILER_PATH";

        private readonly List<string> lookedAt = new List<string>();
        private readonly List<Install> found = new List<Install>();
        private readonly List<string> warnings = new List<string>();

        private readonly Machine machine;

        private InstallSearch(Machine machine)
        {
            this.machine = machine;
        }

        /// <summary>The folders and patterns searched, in order.</summary>
        public IReadOnlyList<string> LookedAt => lookedAt;

        /// <summary>The installs with at least one of the libraries, starting with the one that is used.</summary>
        public IReadOnlyList<Install> Found => found;

        /// <summary>The install that is used, or null if there is none.</summary>
        public Install Used => found.FirstOrDefault();

        /// <summary>What the user should know although it went well.</summary>
        public IReadOnlyList<string> Warnings => warnings;

        /// <summary>
        /// Looks in the folder that the user gave and nowhere else; or in that of <see cref="Variable"/>, if the library is there
        /// by which an install is recognised; or in the usual places, of which the install with the most of the libraries is
        /// used, the newest of equals.
        /// </summary>
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

        /// <summary>The install that is used.</summary>
        /// <exception cref="StageException">Decoder: there is none.</exception>
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

        /// <summary>An install with any of the libraries, or nothing.</summary>
        private static IEnumerable<Install> Useful(Install install)
        {
            return install.LibraryCount > 0 ? new[] { install } : new Install[0];
        }
    }
}
