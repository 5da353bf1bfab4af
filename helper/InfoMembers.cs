using System;

namespace Dotspot.Dtp
{
    internal sealed class InfoMembers
    {
        public InfoMembers(Binder binder, Type type)
        {
            Time = Getters.WholeNumber(binder, type, Contract.Time);
            OwnTime = Getters.WholeNumber(binder, type, Contract.OwnTime);
            Calls = Getters.WholeNumber(binder, type, Contract.Calls);
        }

        public Func<object, long> Time { get; }

        public Func<object, long> OwnTime { get; }

        public Func<object, long> Calls { get; }
    }
}
