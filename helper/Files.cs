using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Dotspot.Dtp
{
    // Listings never fail: a folder that can't be read is empty. Their order is the same on every run.
    internal static class Files
    {
        public static IEnumerable<string> In(string folder)
        {
            return List(folder, Directory.GetFiles);
        }

        public static IEnumerable<string> FoldersIn(string folder)
        {
            return List(folder, Directory.GetDirectories);
        }

        // Systems throw these for an inaccessible file or a bad path.
        public static bool IsFailure(Exception e)
        {
            return e is IOException
                || e is UnauthorizedAccessException
                || e is ArgumentException
                || e is NotSupportedException;
        }

        private static IEnumerable<string> List(string folder, Func<string, string[]> list)
        {
            try
            {
                return list(folder).OrderBy(path => path, StringComparer.Ordinal);
            }
            catch (Exception e) when (IsFailure(e))
            {
                return new string[0];
            }
        }
    }
}
