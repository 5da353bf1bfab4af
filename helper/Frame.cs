using System;

namespace Dotspot.Dtp
{
    /// <summary>The kind of a node. The names of the values are those in the JSON.</summary>
    internal enum FrameKind
    {
        /// <summary>A method.</summary>
        Method,

        /// <summary>Not a method, or an unknown one.</summary>
        Special,
    }

    /// <summary>A method or special frame of the tree, with its times summed over all its nodes.</summary>
    internal sealed class Frame
    {
        private int open;

        /// <summary>A frame without nodes.</summary>
        public Frame(FrameKind kind, string name)
        {
            Kind = kind;
            Name = name;
        }

        /// <summary>Its kind.</summary>
        public FrameKind Kind { get; }

        /// <summary>The name of the method with its type, or a label in brackets.</summary>
        public string Name { get; }

        /// <summary>
        /// Ticks with callees; a node below another node of the frame adds nothing. This and the other sums are decimals,
        /// which can hold the largest values of 200,000,000 nodes, the maximum read, but not a thousand times as much.
        /// </summary>
        public decimal Inclusive { get; private set; }

        /// <summary>Ticks without callees, over all nodes.</summary>
        public decimal Exclusive { get; private set; }

        /// <summary>Calls or samples, over all nodes.</summary>
        public decimal Calls { get; private set; }

        /// <summary>The number of nodes.</summary>
        public long NodeCount { get; private set; }

        /// <summary>Adds a node; <see cref="Leave"/> is called when its subtree is done.</summary>
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

        /// <summary>Ends the subtree of the innermost entered node.</summary>
        public void Leave()
        {
            open--;
        }
    }
}
