using System;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    // Members that were not found are null, and the binder's lookups say why.
    internal sealed class Bindings
    {
        public Bindings(Binder binder)
        {
            // types first: if one is missing, members of other types can't be examined either
            var path = binder.Type(Contract.FileSystemPath);
            var storage = binder.Type(Contract.SnapshotStorage);
            var opener = binder.Type(Contract.OpenSnapshotWithRealtimeData);
            var reader = binder.Type(Contract.PerformanceSnapshotReader);
            var lifetime = binder.Type(Contract.Lifetime);
            var info = binder.Type(Contract.PerformanceInfo);
            var snapshot = binder.Type(Contract.PerformanceSnapshot);

            PathFromText = binder.Member(path, "the conversion from System.String", Reflect.ConversionFromText);
            OpenSnapshot = path == null
                ? null
                : binder.Member(
                    opener,
                    $"{Contract.OpenSnapshot}({path.Name})",
                    type => Reflect.StaticMethod(type, Contract.OpenSnapshot, path));
            NewReader = storage == null
                ? null
                : binder.Member(
                    reader, $"the constructor that takes {storage.Name}", type => Reflect.Constructor(type, storage));
            DefineLifetime = binder.Member(
                lifetime, $"{Contract.Define}({lifetime?.Name}, …)", type => Reflect.StaticMethod(type, Contract.Define, type));
            var definition = DefineLifetime?.ReturnType;
            DefinedLifetime = binder.Value(
                definition, Contract.DefinedLifetime, type => type == lifetime, Contract.Lifetime.FullName);
            Terminate = binder.Member(definition, $"{Contract.Terminate}()", type => Reflect.Method(type, Contract.Terminate));
            Info = info;
            NewInfo = binder.Member(
                info, "a public constructor", type => type.GetConstructors().FirstOrDefault(), isOptional: true);
            NewSnapshot = lifetime == null || path == null || reader == null || info == null
                ? null
                : binder.Member(
                    snapshot,
                    $"the constructor ({lifetime.Name}, {path.Name}, {reader.Name}, {info.Name}, String, String)",
                    type => Reflect.Constructor(type, lifetime, path, reader, info, typeof(string), typeof(string)));
            TimeResolution = binder.Value(snapshot, Contract.TimeResolution, IsNumber, "a number");
            Root = binder.Member(
                snapshot, Contract.RootNodeAllThreads, type => Reflect.Value(type, Contract.RootNodeAllThreads));
        }

        public MethodInfo PathFromText { get; }

        public MethodInfo OpenSnapshot { get; }

        public ConstructorInfo NewReader { get; }

        public MethodInfo DefineLifetime { get; }

        public MemberInfo DefinedLifetime { get; }

        public MethodInfo Terminate { get; }

        public Type Info { get; }

        // This is null if there is no public constructor.
        public ConstructorInfo NewInfo { get; }

        public ConstructorInfo NewSnapshot { get; }

        public MemberInfo TimeResolution { get; }

        public MemberInfo Root { get; }

        private static bool IsNumber(Type type)
        {
            var code = Type.GetTypeCode(type);
            return !type.IsEnum && code >= TypeCode.SByte && code <= TypeCode.Decimal;
        }
    }
}
