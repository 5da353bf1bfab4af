using System;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Dotspot.Dtp
{
    /// <summary>The runtime that runs this program.</summary>
    internal static class RuntimeName
    {
        /// <summary>All that it says about itself: <c>Mono 6.8.0.105 (…)</c>, <c>.NET 8.0.11</c>, <c>.NET Framework 4.8.9261.0</c>.</summary>
        public static readonly string Full = RuntimeInformation.FrameworkDescription;

        /// <summary>Its name and the first two parts of its version, for sentences.</summary>
        public static readonly string Short = Regex.Match(Full, @"^\D*\d+(\.\d+)?").Value.Trim();

        /// <summary>Whether it is .NET, and neither Mono nor .NET Framework.</summary>
        public static readonly bool IsNetCore = Full.StartsWith(".NET", StringComparison.Ordinal)
            && !Full.StartsWith(".NET Framework", StringComparison.Ordinal);
    }
}
