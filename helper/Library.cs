using System;
using System.IO;
using System.Reflection;

namespace Dotspot.Dtp
{
    // A missing library has neither path nor assembly; one that can't be loaded has a failure instead of an assembly.
    internal sealed class Library
    {
        private Library(string name, string path)
        {
            Name = name;
            Path = path;
        }

        public string Name { get; }

        public string Path { get; }

        public Assembly Assembly { get; private set; }

        public Exception Failure { get; private set; }

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
