using System;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>The members that open a snapshot. Those that were not found are null, and <see cref="Binder.Lookups"/> says why.</summary>
    internal sealed class Bindings
    {
        /// <summary>Looks up everything needed to open a snapshot, except the members of missing types.</summary>
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

        /// <summary>Converts text to a path.</summary>
        public MethodInfo PathFromText { get; }

        /// <summary>Returns the storage of the snapshot at a path.</summary>
        public MethodInfo OpenSnapshot { get; }

        /// <summary>Creates a reader of a storage.</summary>
        public ConstructorInfo NewReader { get; }

        /// <summary>Returns the definition of a lifetime.</summary>
        public MethodInfo DefineLifetime { get; }

        /// <summary>The lifetime of a definition.</summary>
        public MemberInfo DefinedLifetime { get; }

        /// <summary>Ends the lifetime of a definition.</summary>
        public MethodInfo Terminate { get; }

        /// <summary>The type of the object that describes the profiled run.</summary>
        public Type Info { get; }

        /// <summary>Creates the object that describes the profiled run; null if there is no public constructor.</summary>
        public ConstructorInfo NewInfo { get; }

        /// <summary>Creates the snapshot.</summary>
        public ConstructorInfo NewSnapshot { get; }

        /// <summary>Ticks per second.</summary>
        public MemberInfo TimeResolution { get; }

        /// <summary>The node above all threads.</summary>
        public MemberInfo Root { get; }

        private static bool IsNumber(Type type)
        {
            var code = Type.GetTypeCode(type);
            return !type.IsEnum && code >= TypeCode.SByte && code <= TypeCode.Decimal;
        }
    }
}
