using System;
using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    internal sealed class Names
    {
        private readonly NodeReader reader;
        private readonly MetadataNames metadata;
        private readonly Frames frames;

        // It is no coincidence if the metadata knows none of this many functions.
        private const int Many = 10;

        private readonly HashSet<string> unnamedFunctions = new HashSet<string>(StringComparer.Ordinal);
        private long namedFunctions;

        public Names(NodeReader reader, MetadataNames metadata, Frames frames)
        {
            this.reader = reader;
            this.metadata = metadata;
            this.frames = frames;
        }

        // The name comes from the signature; else from the function in the metadata; else dotTrace's own is used for a
        // special frame.
        public Frame Of(object node)
        {
            var name = reader.SignatureName(node);
            if (name != null)
            {
                return frames.Of(FrameKind.Method, name);
            }

            var function = reader.FunctionUid(node);
            StageException problem = null;
            if (function != null)
            {
                name = metadata.NameOf(function, out problem);
                namedFunctions += name == null ? 0 : 1;
            }

            var label = reader.PresentableName(node).Trim();
            var hasLabel = !IsBareNumber(label);
            if (problem != null && !hasLabel)
            {
                throw problem;
            }

            if (name == null && function != null && !hasLabel)
            {
                unnamedFunctions.Add(MetadataNames.Describe(function));
            }

            return name != null ? frames.Of(FrameKind.Method, name)
                : hasLabel ? frames.Of(FrameKind.Special, InBrackets(label))
                : function != null ? frames.Of(FrameKind.Special, $"[Unresolved function {MetadataNames.Describe(function)}]")
                : frames.Of(FrameKind.Special, "[Unnamed node]");
        }

        // This is called after the last node.
        public void Check()
        {
            if (namedFunctions == 0 && unnamedFunctions.Count >= Many)
            {
                throw new StageException(
                    Stage.Metadata,
                    $"none of the {unnamedFunctions.Count} functions without a signature is in the metadata, so they have no names; "
                        + "try a newer dotTrace or Rider with --dottrace-dir");
            }
        }

        // A thread's name is never empty and never a bare number.
        public string OfThread(object node)
        {
            var name = reader.PresentableName(node).Trim();
            return name == "" ? "[Unnamed thread]" : IsBareNumber(name) ? "Thread " + name : name;
        }

        // An empty text counts as a number, which tells people nothing either.
        private static bool IsBareNumber(string text)
        {
            var digits = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? text.Substring(2) : text;
            return digits.All(digit => Uri.IsHexDigit(digit)) && (digits.Length < text.Length || digits.All(char.IsDigit));
        }

        private static string InBrackets(string label)
        {
            return label[0] == '[' && label[label.Length - 1] == ']' ? label : $"[{label}]";
        }
    }
}
