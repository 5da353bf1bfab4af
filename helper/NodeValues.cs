namespace Dotspot.Dtp
{
    // Times are in ticks, with and without callees. A sampling profile counts samples as calls.
    internal struct NodeValues
    {
        public NodeValues(long inclusive, long exclusive, long calls)
        {
            Inclusive = inclusive;
            Exclusive = exclusive;
            Calls = calls;
        }

        public long Inclusive { get; }

        public long Exclusive { get; }

        public long Calls { get; }
    }
}
