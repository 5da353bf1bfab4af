using System;
using System.Runtime.InteropServices;
using Dotspot.StandIn;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.Lifetimes
{
    public readonly struct Lifetime
    {
        private readonly LifetimeDefinition definition;

        internal Lifetime(LifetimeDefinition definition)
        {
            this.definition = definition;
        }

        public bool IsAlive => definition == null || !definition.IsTerminated;

        // overloads of every sort, of which one is documented
        public static LifetimeDefinition Define<T>(Lifetime parent, T tag)
        {
            throw new NotSupportedException("generic");
        }

        public static LifetimeDefinition Define(string id, Lifetime parent = default)
        {
            throw new NotSupportedException("takes text first");
        }

        public static LifetimeDefinition Define(Lifetime parent, object required, string id = null)
        {
            throw new NotSupportedException("needs two arguments");
        }

        public static LifetimeDefinition Define(
            in Lifetime parent,
            [Optional] Action<LifetimeDefinition> atomicAction,
            string id = "none",
            DayOfWeek? day = DayOfWeek.Friday,
            TimeSpan timeout = default)
        {
            Script.Current.Hit("Define");
            if (id != "none" || atomicAction != null || day != DayOfWeek.Friday || timeout != default)
            {
                throw new ArgumentException("the arguments are not the defaults");
            }

            return new LifetimeDefinition();
        }
    }

    public sealed class LifetimeDefinition
    {
        public bool IsTerminated { get; private set; }

        public Lifetime Lifetime => new Lifetime(this);

        public void Terminate(bool quietly)
        {
            throw new NotSupportedException("takes an argument");
        }

        public void Terminate()
        {
            IsTerminated = true;
            // a test sees by this line that it was called
            Console.Error.WriteLine("lifetime terminated");
            Script.Current.Hit("Terminate");
        }
    }
}
