using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Dotspot.Dtp
{
    internal static class Places
    {
        // One list serves all systems, in search order: no system uses another's names for something else. Each folder
        // may also have a folder NetCore.
        public static readonly string[] FoldersOfAnInstall =
        {
            "plugins/dotTrace.dotMemory/DotFiles",
            "plugins/dotTrace/DotFiles",
            "plugins/dotCommon/DotFiles",
            "DotFiles",
            "MacOS",
            "tools/profiler",
            "lib/ReSharperHost",
            "",
        };

        // Libraries outside this subfolder are for .NET Framework.
        public const string NetCore = "NetCore";

        // The deepest install below the Toolbox's folder is like apps/Rider/ch-0/243.1/Rider.app.
        private const int ToolboxDepth = 4;

        // Every install has one of these folders at its top; the last is for macOS.
        private static readonly string[] MarksOfAnInstall = { "lib", "plugins", "Contents" };

        // In a pattern, * matches any part of a name, and a final ** the Toolbox's folders at any depth.
        public static IReadOnlyList<string> PatternsOf(Machine machine)
        {
            switch (machine.OperatingSystem)
            {
                case OperatingSystemKind.Windows:
                    var programs = machine.Variable("ProgramFiles");
                    var local = machine.Variable("LOCALAPPDATA");
                    return Under(programs, "JetBrains/*")
                        .Concat(Under(local, "JetBrains/Installations/dotTrace*", "Programs/Rider", "JetBrains/Toolbox/apps/**"))
                        .ToList();
                case OperatingSystemKind.MacOs:
                    return Under(machine.Root + "/Applications", "Rider.app/Contents", "dotTrace.app/Contents")
                        .Concat(Under(
                            machine.Variable("HOME"),
                            "Applications/Rider.app/Contents",
                            "Applications/dotTrace.app/Contents",
                            "Library/Application Support/JetBrains/Toolbox/apps/**"))
                        .ToList();
                default:
                    return Under(machine.Root + "/", "opt/jetbrains/*", "usr/share/jetbrains/*", "opt/*rider*", "snap/rider/current")
                        .Concat(Under(machine.Variable("HOME"), ".local/share/JetBrains/Toolbox/apps/**"))
                        .ToList();
            }
        }

        // A folder that ends like one of FoldersOfAnInstall, the longest of which counts, is in an install; any other
        // is taken for one itself.
        public static string InstallOf(string folder)
        {
            var outer = EndsWith(folder, NetCore) ? Above(folder, NetCore) : folder;
            var inner = FoldersOfAnInstall
                .Where(name => name != "" && EndsWith(outer, name))
                .OrderByDescending(name => name.Length)
                .FirstOrDefault();
            return inner == null ? outer : Above(outer, inner);
        }

        public static IEnumerable<string> Matching(string pattern)
        {
            IEnumerable<string> folders = new[] { Path.GetPathRoot(pattern) };
            foreach (var name in pattern.Substring(Path.GetPathRoot(pattern).Length).Split('/', '\\'))
            {
                if (name == "**")
                {
                    folders = folders.SelectMany(folder => ToolboxInstalls(folder, ToolboxDepth));
                }
                else if (name.Contains("*"))
                {
                    var like = new Regex("^" + Regex.Escape(name).Replace("\\*", ".*") + "$", RegexOptions.IgnoreCase);
                    folders = folders.SelectMany(Files.FoldersIn).Where(folder => like.IsMatch(Path.GetFileName(folder)));
                }
                else
                {
                    folders = folders.Select(folder => Path.Combine(folder, name));
                }
            }

            return folders.Where(Directory.Exists);
        }

        // Nothing below an install is searched, whatever the product: there are thousands of folders.
        private static IEnumerable<string> ToolboxInstalls(string folder, int depth)
        {
            if (MarksOfAnInstall.Any(mark => Directory.Exists(Path.Combine(folder, mark))))
            {
                return new[] { folder };
            }

            return depth == 0
                ? Enumerable.Empty<string>()
                : new[] { folder }.Concat(Files.FoldersIn(folder).SelectMany(child => ToolboxInstalls(child, depth - 1)));
        }

        private static bool EndsWith(string folder, string inner)
        {
            var names = NamesIn(folder);
            var wanted = inner.Split('/');
            return names.Skip(names.Length - wanted.Length).SequenceEqual(wanted, StringComparer.OrdinalIgnoreCase);
        }

        private static string Above(string folder, string inner)
        {
            return inner.Split('/').Aggregate(folder.TrimEnd('/', Path.DirectorySeparatorChar), (path, name) => Path.GetDirectoryName(path));
        }

        private static string[] NamesIn(string folder)
        {
            return folder.Split(new[] { '/', Path.DirectorySeparatorChar }, StringSplitOptions.RemoveEmptyEntries);
        }

        private static IEnumerable<string> Under(string folder, params string[] paths)
        {
            // with an unset variable, paths would be relative to the working folder
            return folder == ""
                ? Enumerable.Empty<string>()
                : paths.Select(path => path.Split('/').Aggregate(folder, Path.Combine));
        }
    }
}
