using System;

namespace Dotspot.Dtp
{
    /// <summary>The members of the object that holds a node's values.</summary>
    internal sealed class InfoMembers
    {
        /// <summary>Looks the members up.</summary>
        public InfoMembers(Binder binder, Type type)
        {
            Time = Getters.WholeNumber(binder, type, Contract.Time);
            OwnTime = Getters.WholeNumber(binder, type, Contract.OwnTime);
            Calls = Getters.WholeNumber(binder, type, Contract.Calls);
        }

        /// <summary>Returns the ticks with callees.</summary>
        public Func<object, long> Time { get; }

        /// <summary>Returns the ticks without callees.</summary>
        public Func<object, long> OwnTime { get; }

        /// <summary>Returns the calls or samples.</summary>
        public Func<object, long> Calls { get; }
    }
}
