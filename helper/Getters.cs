using System;

namespace Dotspot.Dtp
{
    // A getter is null if the type has no such member.
    internal static class Getters
    {
        public static Func<object, string> Text(Binder binder, Type type, string name, Use use = Use.Reading)
        {
            var value = binder.Value(type, name, declared => declared == typeof(string), "System.String", use);
            return value == null ? null : Reflect.Getter<string>(value);
        }

        public static Func<object, long> WholeNumber(Binder binder, Type type, string name)
        {
            var value = binder.Value(type, name, IsWholeNumber, "a whole number");
            return value == null ? null : Reflect.Getter<long>(value);
        }

        private static bool IsWholeNumber(Type type)
        {
            var code = Type.GetTypeCode(type);
            return !type.IsEnum && code >= TypeCode.SByte && code <= TypeCode.UInt64;
        }
    }
}
