using System;
using System.IO;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>One of JetBrains' libraries: loaded, or missing, or why it can't be loaded.</summary>
    internal sealed class Library
    {
        private Library(string name, string path)
        {
            Name = name;
            Path = path;
        }

        /// <summary>The simple name of the assembly.</summary>
        public string Name { get; }

        /// <summary>The file, or null if there is none.</summary>
        public string Path { get; }

        /// <summary>The loaded assembly, or null.</summary>
        public Assembly Assembly { get; private set; }

        /// <summary>Why the file can't be loaded, or null.</summary>
        public Exception Failure { get; private set; }

        /// <summary>Loads a library if the install has it.</summary>
        public static Library Load(string name, Install install)
        {
            var library = new Library(name, install.PathOf(name));
            try
            {
                library.Assembly = library.Path == null ? null : Assembly.LoadFrom(library.Path);
            }
            catch (Exception e) when (e is IOException || e is BadImageFormatException || e is UnauthorizedAccessException)
            {
                library.Failure = e;
            }

            return library;
        }

        /// <summary>Name, versions and file of an assembly, for sentences.</summary>
        public static string Describe(Assembly assembly)
        {
            var name = assembly.GetName();
            var path = assembly.Location;
            return path == ""
                ? $"{name.Name} {name.Version}"
                : $"{name.Name} {name.Version} (file version {Install.FileVersionOf(path)}, {path})";
        }
    }
}
