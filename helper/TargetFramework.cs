using System;
using System.Globalization;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;

namespace Dotspot.Dtp
{
    // The attribute with the target framework is plain text in the file. It is read there because a runtime that can't
    // run a library may not be able to read its attributes either.
    internal sealed class TargetFramework
    {
        // No library of an install is larger than some megabytes.
        private const long MaxFile = 1 << 28;

        private readonly bool isNetCore;
        private readonly Version version;

        private TargetFramework(bool isNetCore, Version version)
        {
            this.isNetCore = isNetCore;
            this.version = version;
        }

        // This is null if the file can't be read or names no framework.
        public static TargetFramework Of(string path)
        {
            string text;
            try
            {
                if (path == null || new FileInfo(path).Length > MaxFile)
                {
                    return null;
                }

                // one character per byte
                text = Encoding.GetEncoding(28591).GetString(File.ReadAllBytes(path));
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                return null;
            }

            var found = Regex.Match(text, @"\.(NETCoreApp|NETFramework),Version=v(\d+\.\d+(\.\d+)?)");
            return found.Success && Version.TryParse(found.Groups[2].Value, out var version)
                ? new TargetFramework(found.Groups[1].Value == "NETCoreApp", version)
                : null;
        }

        // This is a sentence without advice, and null if the library should run.
        public string Conflict => IsMet
            ? null
            : $"these libraries {(isNetCore ? "need" : "are made for")} {Name}, and this runs on {RuntimeName.Short}";

        public string Advice => isNetCore
            ? $"install the .NET SDK {Number}"
            : "give the folder of a Rider, or of another dotTrace, whose libraries are made for .NET, with --dottrace-dir";

        private bool IsMet => isNetCore == RuntimeName.IsNetCore && (!isNetCore || Environment.Version.Major >= version.Major);

        private string Name => !isNetCore ? $".NET Framework {version}" : version.Major < 5 ? $".NET Core {version}" : $".NET {Number}";

        private string Number => version.Major < 5 ? version.ToString() : version.Major.ToString(CultureInfo.InvariantCulture);
    }
}
