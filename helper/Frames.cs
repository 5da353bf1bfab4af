using System;
using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>All frames of a tree.</summary>
    internal sealed class Frames
    {
        private readonly Dictionary<string, Frame> methods = new Dictionary<string, Frame>(StringComparer.Ordinal);
        private readonly Dictionary<string, Frame> specials = new Dictionary<string, Frame>(StringComparer.Ordinal);

        /// <summary>The frame with a name, created on first use.</summary>
        public Frame Of(FrameKind kind, string name)
        {
            var frames = kind == FrameKind.Method ? methods : specials;
            if (!frames.TryGetValue(name, out var frame))
            {
                frame = new Frame(kind, name);
                frames.Add(name, frame);
            }

            return frame;
        }

        /// <summary>The frames with the largest values, descending; ties are sorted by name, so that the order is the same on every run.</summary>
        public IEnumerable<Frame> Top(int count, Func<Frame, decimal> value)
        {
            return methods.Values.Concat(specials.Values)
                .OrderByDescending(value)
                .ThenBy(frame => frame.Name, StringComparer.Ordinal)
                .Take(count);
        }
    }
}
