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

    /// <summary>What the search for installs has to know about the machine. Tests describe machines that they don't run on.</summary>
    internal sealed class Machine
    {
        private readonly Func<string, string> variable;

        /// <summary>A machine with these environment variables, whose file system starts at a folder.</summary>
        public Machine(OperatingSystemKind operatingSystem, string root, Func<string, string> variable)
        {
            OperatingSystem = operatingSystem;
            Root = root;
            this.variable = variable;
        }

        /// <summary>The operating system.</summary>
        public OperatingSystemKind OperatingSystem { get; }

        /// <summary>What stands before absolute Unix paths: nothing but in tests.</summary>
        public string Root { get; }

        /// <summary>This machine.</summary>
        public static Machine Current()
        {
            var system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? OperatingSystemKind.Windows
                : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? OperatingSystemKind.MacOs
                : OperatingSystemKind.Linux;
            return new Machine(system, "", Environment.GetEnvironmentVariable);
        }

        /// <summary>An environment variable; empty if it isn't set.</summary>
        public string Variable(string name)
        {
            return variable(name) ?? "";
        }
    }
}
