using System.Reflection;

namespace Dotspot.Dtp
{
    internal sealed class Lookup
    {
        public Lookup(string type, string member, Use use, Assembly assembly, string problem)
        {
            Type = type;
            Member = member;
            Use = use;
            Assembly = assembly;
            Problem = problem;
        }

        public string Type { get; }

        // This is null if the type itself was looked up.
        public string Member { get; }

        public Use Use { get; }

        public Assembly Assembly { get; }

        // This is null if the type or member was found.
        public string Problem { get; }
    }
}
