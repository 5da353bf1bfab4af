namespace Dotspot.Dtp
{
    /// <summary>The values of a node: times in ticks, and calls, or samples in a sampling profile.</summary>
    internal struct NodeValues
    {
        /// <summary>Values as returned by the libraries.</summary>
        public NodeValues(long inclusive, long exclusive, long calls)
        {
            Inclusive = inclusive;
            Exclusive = exclusive;
            Calls = calls;
        }

        /// <summary>Ticks with callees.</summary>
        public long Inclusive { get; }

        /// <summary>Ticks without callees.</summary>
        public long Exclusive { get; }

        /// <summary>Calls or samples.</summary>
        public long Calls { get; }
    }
}
