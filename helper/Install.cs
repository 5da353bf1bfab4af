using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>The libraries of one install. Folders of two installs are never mixed.</summary>
    internal sealed class Install
    {
        private readonly Dictionary<string, string> paths = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

        /// <summary>Searches the folders of an install.</summary>
        /// <param name="folder">The install's folder, or the folder in it that contains the libraries, which is then searched first.</param>
        /// <param name="origin">Why this folder is searched, for people.</param>
        /// <param name="prefersNetCore">Whether libraries for .NET take precedence over those for .NET Framework.</param>
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

            // the pair with the central library comes first: another pair may have other versions of the libraries next to it
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

        /// <summary>The install's folder.</summary>
        public string Root { get; }

        /// <summary>Why it was searched: an option, a variable, or the pattern of a usual place.</summary>
        public string Origin { get; }

        /// <summary>The folders in it that contain libraries, in search order.</summary>
        public IReadOnlyList<string> Folders { get; }

        /// <summary>Whether it has the library that identifies an install.</summary>
        public bool IsRecognised => PathOf(Contract.CentralAssembly) != null;

        /// <summary>The number of JetBrains' reading libraries in it.</summary>
        public int LibraryCount => Contract.Assemblies.Count(name => PathOf(name) != null);

        /// <summary>The path of a library by its simple name, ignoring case, or null.</summary>
        public string PathOf(string name)
        {
            return paths.TryGetValue(name, out var path) ? path : null;
        }

        /// <summary>The file version of the central library, or of the first library found.</summary>
        public Version Version
        {
            get
            {
                var names = new[] { Contract.CentralAssembly }.Concat(Contract.Assemblies);
                var path = names.Select(PathOf).FirstOrDefault(library => library != null);
                return path == null ? new Version() : FileVersionOf(path);
            }
        }

        /// <summary>The file version of a library. The assembly versions of JetBrains' platform hardly differ between releases.</summary>
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

        /// <summary>A folder and the one below it with the libraries for .NET, starting with the one whose libraries are used.</summary>
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
