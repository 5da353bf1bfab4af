using System;
using System.Globalization;
using System.Text;

namespace Dotspot.Dtp
{
    /// <summary>Writes JSON as bytes, in pieces, so that no document is ever held in memory.</summary>
    internal sealed class JsonWriter
    {
        private readonly Action<byte[], int> sink;
        private readonly byte[] buffer = new byte[65536];
        private int used;
        private bool needsComma;

        /// <summary>A writer that hands over full buffers.</summary>
        public JsonWriter(Action<byte[], int> sink)
        {
            this.sink = sink;
        }

        /// <summary>Writes what is buffered.</summary>
        public void Flush()
        {
            sink(buffer, used);
            used = 0;
        }

        /// <summary>Starts an object, as a value.</summary>
        public void StartObject()
        {
            Open('{');
        }

        /// <summary>Ends an object.</summary>
        public void EndObject()
        {
            Close('}');
        }

        /// <summary>Starts an array, as a value.</summary>
        public void StartArray()
        {
            Open('[');
        }

        /// <summary>Ends an array.</summary>
        public void EndArray()
        {
            Close(']');
        }

        /// <summary>Starts a member; its value must follow. The name must not need escapes.</summary>
        public void Member(string name)
        {
            BeforeValue();
            Put('"');
            Put(name);
            Put('"');
            Put(':');
            needsComma = false;
        }

        /// <summary>Writes a member with text; null becomes <c>null</c>.</summary>
        public void Member(string name, string value)
        {
            Member(name);
            Value(value);
        }

        /// <summary>Writes a member with a number.</summary>
        public void Member(string name, decimal value)
        {
            Member(name);
            Value(value);
        }

        /// <summary>Writes a member with a truth value.</summary>
        public void Member(string name, bool value)
        {
            Member(name);
            BeforeValue();
            Put(value ? "true" : "false");
        }

        /// <summary>Writes a number as it is.</summary>
        public void Value(decimal value)
        {
            BeforeValue();
            Put(value.ToString(CultureInfo.InvariantCulture));
        }

        /// <summary>Writes text; null becomes <c>null</c>.</summary>
        public void Value(string value)
        {
            BeforeValue();
            if (value == null)
            {
                Put("null");
                return;
            }

            Put('"');
            for (var i = 0; i < value.Length; i++)
            {
                i += PutEscaped(value, i);
            }

            Put('"');
        }

        /// <summary>Writes a character of a text, and says how many more units of the text it took.</summary>
        private int PutEscaped(string text, int i)
        {
            var unit = text[i];
            if (unit == '"' || unit == '\\')
            {
                Put('\\');
                Put(unit);
            }
            else if (unit == '\n')
            {
                Put("\\n");
            }
            else if (unit >= ' ' && unit < 0x7F)
            {
                Put(unit);
            }
            else if (unit < 0xA0)
            {
                // control characters, those of terminals included
                Put("\\u");
                Put(((int)unit).ToString("x4", CultureInfo.InvariantCulture));
            }
            else
            {
                var isPair = char.IsHighSurrogate(unit) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]);
                var length = isPair ? 2 : 1;
                Reserve(4);
                // half a pair is no character: it becomes U+FFFD
                used += Encoding.UTF8.GetBytes(text, i, length, buffer, used);
                return length - 1;
            }

            return 0;
        }

        private void Open(char bracket)
        {
            BeforeValue();
            Put(bracket);
            needsComma = false;
        }

        private void Close(char bracket)
        {
            Put(bracket);
            needsComma = true;
        }

        private void BeforeValue()
        {
            if (needsComma)
            {
                Put(',');
            }

            needsComma = true;
        }

        /// <summary>Writes ASCII.</summary>
        private void Put(string text)
        {
            foreach (var each in text)
            {
                Put(each);
            }
        }

        private void Put(char ascii)
        {
            Reserve(1);
            buffer[used] = (byte)ascii;
            used++;
        }

        private void Reserve(int count)
        {
            if (used + count > buffer.Length)
            {
                Flush();
            }
        }
    }
}
