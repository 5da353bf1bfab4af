using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>Finds the install whose libraries are used, and remembers every place that was looked at.</summary>
    internal sealed class Locate
    {
        /// <summary>The environment variable that names a folder to look in first.</summary>
        public const string Variable = "JETBRAINS_PROFILER_PATH";

        private readonly List<string> lookedAt = new List<string>();
        private readonly List<Install> found = new List<Install>();
        private readonly List<string> warnings = new List<string>();

        private Locate()
        {
        }

        /// <summary>The folders and patterns that were looked at, in order.</summary>
        public IReadOnlyList<string> LookedAt => lookedAt;

        /// <summary>The installs that hold at least one of the libraries, the one that is used first.</summary>
        public IReadOnlyList<Install> Found => found;

        /// <summary>The install that is used, or null if there is none.</summary>
        public Install Used => found.FirstOrDefault();

        /// <summary>What the user should know although it went well.</summary>
        public IReadOnlyList<string> Warnings => warnings;

        /// <summary>
        /// Looks in the folder that the user gave and nowhere else; or in that of <see cref="Variable"/>; or in the usual
        /// places, of which the install with the most of the libraries is used, the newest of equals.
        /// </summary>
        public static Locate Search(string givenFolder, Machine machine)
        {
            var search = new Locate();
            if (givenFolder != null)
            {
                search.Try(givenFolder, "--dottrace-dir");
                return search;
            }

            var preferred = machine.Variable(Variable);
            if (preferred != "" && search.Try(preferred, Variable))
            {
                return search;
            }

            foreach (var pattern in Places.PatternsOf(machine))
            {
                search.lookedAt.Add(pattern);
                var installs = Places.Matching(pattern).Select(root => new Install(root, pattern));
                search.found.AddRange(installs.Where(each => each.LibraryCount > 0));
            }

            var best = search.found.OrderByDescending(each => each.LibraryCount).ThenByDescending(each => each.Version).ToList();
            search.found.Clear();
            search.found.AddRange(best);
            if (preferred != "" && search.Used != null)
            {
                search.warnings.Add(
                    $"{Variable} names {preferred}, which holds none of JetBrains' reading libraries: "
                        + $"those in {search.Used.Root} were used");
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

            var places = lookedAt.Select(each => Directory.Exists(each) || each.Contains("*") ? each : each + " (no such folder)");
            throw new StageException(
                Stage.Decoder,
                $"none of JetBrains' reading libraries ({Contract.CentralAssembly}.dll and others) was found in "
                    + $"{string.Join(", ", places)}; install Rider or dotTrace, or give its folder with --dottrace-dir or {Variable}");
        }

        private bool Try(string folder, string origin)
        {
            lookedAt.Add(folder);
            var install = new Install(folder, origin);
            if (install.LibraryCount > 0)
            {
                found.Add(install);
            }

            return install.LibraryCount > 0;
        }
    }
}
