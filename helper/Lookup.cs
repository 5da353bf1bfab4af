using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>A type or member that was looked up.</summary>
    internal sealed class Lookup
    {
        /// <summary>The result of a look-up.</summary>
        public Lookup(string type, string member, Use use, Assembly assembly, string problem)
        {
            Type = type;
            Member = member;
            Use = use;
            Assembly = assembly;
            Problem = problem;
        }

        /// <summary>The full name of the type.</summary>
        public string Type { get; }

        /// <summary>The member as it is written in sentences, or null for the type itself.</summary>
        public string Member { get; }

        /// <summary>What it is needed for.</summary>
        public Use Use { get; }

        /// <summary>The assembly in which the type is, or null if it is missing.</summary>
        public Assembly Assembly { get; }

        /// <summary>A sentence about what is missing, or null if it was found.</summary>
        public string Problem { get; }
    }
}
