using System;
using Dotspot.StandIn;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.Util
{
    public class FileSystemPath
    {
        private FileSystemPath(string fullPath)
        {
            FullPath = fullPath;
        }

        public string FullPath { get; }

        public static explicit operator string(FileSystemPath path)
        {
            return path.FullPath;
        }

        public static explicit operator FileSystemPath(Uri path)
        {
            throw new NotSupportedException("takes no text");
        }

        public static explicit operator FileSystemPath(string path)
        {
            if (!System.IO.Path.IsPathRooted(path))
            {
                throw new ArgumentException("the path is not absolute");
            }

            Script.Load(path);
            Script.Current.Hit("FileSystemPath");
            return new FileSystemPath(path);
        }
    }
}
