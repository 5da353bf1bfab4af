using System;
using System.Runtime.InteropServices;

namespace Dotspot.Dtp
{
    internal enum OperatingSystemKind
    {
        Windows,

        MacOs,

        // Any other Unix counts as Linux.
        Linux,
    }

    // The search for installs sees this machine; tests describe others.
    internal sealed class Machine
    {
        private readonly Func<string, string> variable;

        public Machine(OperatingSystemKind operatingSystem, string root, bool prefersNetCore, Func<string, string> variable)
        {
            OperatingSystem = operatingSystem;
            PrefersNetCore = prefersNetCore;
            Root = root;
            this.variable = variable;
        }

        public OperatingSystemKind OperatingSystem { get; }

        // On .NET, some libraries are in a separate folder; those for Mono and .NET Framework are not.
        public bool PrefersNetCore { get; }

        // Absolute Unix paths start with this, which is empty except in tests.
        public string Root { get; }

        public static Machine Current()
        {
            var system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? OperatingSystemKind.Windows
                : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? OperatingSystemKind.MacOs
                : OperatingSystemKind.Linux;
            return new Machine(system, "", RuntimeName.IsNetCore, Environment.GetEnvironmentVariable);
        }

        // The result is empty if the variable isn't set.
        public string Variable(string name)
        {
            return variable(name) ?? "";
        }
    }
}
