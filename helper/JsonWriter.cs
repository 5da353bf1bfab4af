using System;
using System.Globalization;
using System.Text;

namespace Dotspot.Dtp
{
    // JSON is written in pieces, so that no document is ever held in memory.
    internal sealed class JsonWriter
    {
        private readonly Action<byte[], int> sink;
        private readonly byte[] buffer = new byte[65536];
        private int used;
        private bool needsComma;

        public JsonWriter(Action<byte[], int> sink)
        {
            this.sink = sink;
        }

        public void Flush()
        {
            sink(buffer, used);
            used = 0;
        }

        public void StartObject()
        {
            Open('{');
        }

        public void EndObject()
        {
            Close('}');
        }

        public void StartArray()
        {
            Open('[');
        }

        public void EndArray()
        {
            Close(']');
        }

        // A value must follow, and the name must not need escapes.
        public void Member(string name)
        {
            BeforeValue();
            Put('"');
            Put(name);
            Put('"');
            Put(':');
            needsComma = false;
        }

        public void Member(string name, string value)
        {
            Member(name);
            Value(value);
        }

        public void Member(string name, decimal value)
        {
            Member(name);
            Value(value);
        }

        public void Member(string name, bool value)
        {
            Member(name);
            BeforeValue();
            Put(value ? "true" : "false");
        }

        public void Value(decimal value)
        {
            BeforeValue();
            Put(value.ToString(CultureInfo.InvariantCulture));
        }

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

        // The result is how many more UTF-16 units the character took.
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

        // The text must be ASCII.
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
