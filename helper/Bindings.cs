using System;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>The members that open a snapshot. Those that were not found are null, and <see cref="Binder.Lookups"/> says why.</summary>
    internal sealed class Bindings
    {
        /// <summary>Looks everything up that opening needs; not the members for which a type is missing.</summary>
        public Bindings(Binder binder)
        {
            // types first: a type that is missing also makes members of other types impossible to look at
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
            DefinedLifetime = binder.Property(
                definition, Contract.DefinedLifetime, type => type == lifetime, Contract.Lifetime.FullName);
            Terminate = binder.Member(definition, $"{Contract.Terminate}()", type => Reflect.Method(type, Contract.Terminate));
            NewInfo = binder.Member(info, "a public constructor", FirstConstructor);
            NewSnapshot = lifetime == null || path == null || reader == null || info == null
                ? null
                : binder.Member(
                    snapshot,
                    $"the constructor ({lifetime.Name}, {path.Name}, {reader.Name}, {info.Name}, String, String)",
                    type => Reflect.Constructor(type, lifetime, path, reader, info, typeof(string), typeof(string)));
            TimeResolution = binder.Property(snapshot, Contract.TimeResolution, IsNumber, "a number");
            Root = binder.Member(
                snapshot, Contract.RootNodeAllThreads, type => Reflect.Property(type, Contract.RootNodeAllThreads));
        }

        /// <summary>Converts text to a path.</summary>
        public MethodInfo PathFromText { get; }

        /// <summary>Gives the storage of the snapshot at a path.</summary>
        public MethodInfo OpenSnapshot { get; }

        /// <summary>Makes a reader of a storage.</summary>
        public ConstructorInfo NewReader { get; }

        /// <summary>Gives the definition of a lifetime.</summary>
        public MethodInfo DefineLifetime { get; }

        /// <summary>The lifetime of a definition.</summary>
        public PropertyInfo DefinedLifetime { get; }

        /// <summary>Ends the lifetime of a definition.</summary>
        public MethodInfo Terminate { get; }

        /// <summary>Makes the object that describes the profiled run.</summary>
        public ConstructorInfo NewInfo { get; }

        /// <summary>Makes the snapshot.</summary>
        public ConstructorInfo NewSnapshot { get; }

        /// <summary>Ticks per second.</summary>
        public PropertyInfo TimeResolution { get; }

        /// <summary>The node above all threads.</summary>
        public PropertyInfo Root { get; }

        private static ConstructorInfo FirstConstructor(Type type)
        {
            var constructors = type.GetConstructors();
            return constructors.Length == 0 ? null : constructors[0];
        }

        private static bool IsNumber(Type type)
        {
            var code = Type.GetTypeCode(type);
            return !type.IsEnum && code >= TypeCode.SByte && code <= TypeCode.Decimal;
        }
    }
}
