using System;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Dotspot.Dtp
{
    internal static class RuntimeName
    {
        // Examples are "Mono 6.8.0.105 (…)", ".NET 8.0.11" and ".NET Framework 4.8.9261.0".
        public static readonly string Full = RuntimeInformation.FrameworkDescription;

        public static readonly string Short = Regex.Match(Full, @"^\D*\d+(\.\d+)?").Value.Trim();

        // This is false on Mono and on .NET Framework.
        public static readonly bool IsNetCore = Full.StartsWith(".NET", StringComparison.Ordinal)
            && !Full.StartsWith(".NET Framework", StringComparison.Ordinal);
    }
}
