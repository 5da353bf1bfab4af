using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>Lists of folders that never fail: what can't be read is empty, and the order is the same on every run.</summary>
    internal static class Files
    {
        /// <summary>The paths of the files in a folder.</summary>
        public static IEnumerable<string> In(string folder)
        {
            return List(folder, Directory.GetFiles);
        }

        /// <summary>The paths of the folders in a folder.</summary>
        public static IEnumerable<string> FoldersIn(string folder)
        {
            return List(folder, Directory.GetDirectories);
        }

        private static IEnumerable<string> List(string folder, Func<string, string[]> list)
        {
            try
            {
                return list(folder).OrderBy(each => each, StringComparer.Ordinal);
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException || e is ArgumentException || e is NotSupportedException)
            {
                return new string[0];
            }
        }
    }
}
