using System;
using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    internal sealed class Frames
    {
        private readonly Dictionary<string, Frame> methods = new Dictionary<string, Frame>(StringComparer.Ordinal);
        private readonly Dictionary<string, Frame> specials = new Dictionary<string, Frame>(StringComparer.Ordinal);

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

        // Ties are sorted by name, so that the order is the same on every run.
        public IEnumerable<Frame> Top(int count, Func<Frame, decimal> value)
        {
            return methods.Values.Concat(specials.Values)
                .OrderByDescending(value)
                .ThenBy(frame => frame.Name, StringComparer.Ordinal)
                .Take(count);
        }
    }
}
