using System;
using System.Runtime.InteropServices;

namespace Dotspot.Dtp
{
    /// <summary>The operating systems whose folders are known.</summary>
    internal enum OperatingSystemKind
    {
        /// <summary>Windows.</summary>
        Windows,

        /// <summary>macOS.</summary>
        MacOs,

        /// <summary>Linux, and any other Unix.</summary>
        Linux,
    }

    /// <summary>The machine as the search for installs sees it. Tests describe other machines.</summary>
    internal sealed class Machine
    {
        private readonly Func<string, string> variable;

        /// <summary>A machine with these environment variables, and with its file system in a folder.</summary>
        public Machine(OperatingSystemKind operatingSystem, string root, bool prefersNetCore, Func<string, string> variable)
        {
            OperatingSystem = operatingSystem;
            PrefersNetCore = prefersNetCore;
            Root = root;
            this.variable = variable;
        }

        /// <summary>The operating system.</summary>
        public OperatingSystemKind OperatingSystem { get; }

        /// <summary>
        /// Whether the runtime is .NET. Some libraries for it are in a separate folder; those for Mono and .NET Framework
        /// are not.
        /// </summary>
        public bool PrefersNetCore { get; }

        /// <summary>The prefix of absolute Unix paths; empty except in tests.</summary>
        public string Root { get; }

        /// <summary>This machine.</summary>
        public static Machine Current()
        {
            var system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? OperatingSystemKind.Windows
                : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? OperatingSystemKind.MacOs
                : OperatingSystemKind.Linux;
            return new Machine(system, "", RuntimeName.IsNetCore, Environment.GetEnvironmentVariable);
        }

        /// <summary>An environment variable; empty if it isn't set.</summary>
        public string Variable(string name)
        {
            return variable(name) ?? "";
        }
    }
}
