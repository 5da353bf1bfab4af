using System;

namespace Dotspot.Dtp
{
    internal enum FrameKind
    {
        Method,

        // This is not a method, or an unknown one.
        Special,
    }

    // Values are summed over all nodes of the frame.
    internal sealed class Frame
    {
        private int open;

        public Frame(FrameKind kind, string name)
        {
            Kind = kind;
            Name = name;
        }

        public FrameKind Kind { get; }

        public string Name { get; }

        // A node below another node of the frame adds nothing here. Sums are decimals, which can hold the largest
        // values of 200,000,000 nodes, the maximum read, but not a thousand times as much.
        public decimal Inclusive { get; private set; }

        public decimal Exclusive { get; private set; }

        public decimal Calls { get; private set; }

        public long NodeCount { get; private set; }

        // Leave must be called when the node's subtree is done.
        public void Enter(NodeValues values)
        {
            if (open == 0)
            {
                Inclusive += values.Inclusive;
            }

            open++;
            Exclusive += values.Exclusive;
            Calls += values.Calls;
            NodeCount++;
        }

        public void Leave()
        {
            open--;
        }
    }
}
