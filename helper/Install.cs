using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    // Folders of two installs are never mixed.
    internal sealed class Install
    {
        private readonly Dictionary<string, string> paths = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

        // The folder is the install's, or the one in it that contains the libraries, which is then searched first.
        public Install(string folder, string origin, bool prefersNetCore)
        {
            Origin = origin;
            // the runtime loads by full path only; a macOS application has everything in Contents
            var given = Path.GetFullPath(folder);
            var full = Places.InstallOf(given);
            Root = full == given ? folder : full;
            var roots = new[] { full, Path.Combine(full, "Contents") };
            var pairs = roots
                .SelectMany(root => Places.FoldersOfAnInstall.Select(inner => Inner(root, inner)))
                .Select(outer => Pair(outer, prefersNetCore).Where(Directory.Exists).ToList())
                .ToList();

            // the pair with the central library is first: another may have other versions of the libraries beside it
            var ordered = pairs
                .OrderBy(pair => pair.SelectMany(LibrariesIn).Any(IsCentral) ? 0 : 1)
                .SelectMany(pair => pair)
                .OrderBy(inner => inner == given && full != given ? 0 : 1)
                .Where(inner => LibrariesIn(inner).Any())
                .ToList();
            Folders = ordered;
            foreach (var library in ordered.SelectMany(LibrariesIn))
            {
                var name = Path.GetFileNameWithoutExtension(library);
                if (!paths.ContainsKey(name))
                {
                    paths.Add(name, library);
                }
            }
        }

        public string Root { get; }

        // This is an option, a variable, or the pattern of a usual place.
        public string Origin { get; }

        // The folders are in search order.
        public IReadOnlyList<string> Folders { get; }

        public bool IsRecognised => PathOf(Contract.CentralAssembly) != null;

        public int LibraryCount => Contract.Assemblies.Count(name => PathOf(name) != null);

        // The result is null if the install lacks the library.
        public string PathOf(string name)
        {
            return paths.TryGetValue(name, out var path) ? path : null;
        }

        public Version Version
        {
            get
            {
                var names = new[] { Contract.CentralAssembly }.Concat(Contract.Assemblies);
                var path = names.Select(PathOf).FirstOrDefault(library => library != null);
                return path == null ? new Version() : FileVersionOf(path);
            }
        }

        // The assembly versions of JetBrains' platform hardly differ between releases; file versions do.
        public static Version FileVersionOf(string path)
        {
            try
            {
                var info = FileVersionInfo.GetVersionInfo(path);
                return new Version(info.FileMajorPart, info.FileMinorPart, info.FileBuildPart, info.FilePrivatePart);
            }
            catch (Exception e) when (e is IOException || e is ArgumentException)
            {
                return new Version();
            }
        }

        private static IEnumerable<string> Pair(string outer, bool prefersNetCore)
        {
            var netCore = Path.Combine(outer, Places.NetCore);
            return prefersNetCore ? new[] { netCore, outer } : new[] { outer, netCore };
        }

        private static IEnumerable<string> LibrariesIn(string folder)
        {
            return Files.In(folder).Where(IsLibrary);
        }

        private static string Inner(string root, string inner)
        {
            return inner == "" ? root : inner.Split('/').Aggregate(root, Path.Combine);
        }

        private static bool IsLibrary(string path)
        {
            return string.Equals(Path.GetExtension(path), ".dll", StringComparison.OrdinalIgnoreCase);
        }

        private static bool IsCentral(string path)
        {
            return string.Equals(Path.GetFileNameWithoutExtension(path), Contract.CentralAssembly, StringComparison.OrdinalIgnoreCase);
        }
    }
}
