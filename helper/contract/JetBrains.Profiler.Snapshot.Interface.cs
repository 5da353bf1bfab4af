using System;
using System.Globalization;
using Dotspot.StandIn;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.Profiler.Snapshot.Storage
{
    public interface IWriteableSnapshotStorage
    {
        bool IsOpen { get; }
    }
}

namespace JetBrains.Profiler.Snapshot.Section
{
    // the number of a function in the tree
    public readonly struct FunctionUID
    {
        private readonly ulong value;

        public FunctionUID(ulong value)
        {
            this.value = value;
        }

        public FunctionId FunctionId => new FunctionId(value);

        public override string ToString()
        {
            return "0x" + value.ToString("x", CultureInfo.InvariantCulture);
        }
    }

    public readonly struct FunctionId
    {
        public readonly ulong Value;

        public FunctionId(ulong value)
        {
            Value = value;
        }
    }
}

namespace JetBrains.Profiler.Snapshot.Section.Metadata
{
    public readonly struct MetadataId
    {
        public readonly ulong Value;

        public MetadataId(ulong value)
        {
            Value = value;
        }
    }

    public interface IMetadataSectionAssemblyProvider
    {
        string[] Find(MetadataId id);
    }

    public interface IMetadataSection
    {
        TResult ExecuteWithMetadataAssemblyProvider<TResult, TArgument>(
            Func<TArgument, IMetadataSectionAssemblyProvider, TResult> action, TArgument argument);
    }
}

namespace JetBrains.Profiler.Snapshot.Section.Metadata.Helpers
{
    public struct FunctionResult
    {
        private readonly IMetadataSectionAssemblyProvider provider;
        private readonly MetadataId id;

        internal FunctionResult(IMetadataSectionAssemblyProvider provider, MetadataId id, string[] parameters)
        {
            this.provider = provider;
            this.id = id;
            Parameters = parameters;
        }

        // asked for late, so that a test sees whether the provider was kept longer than it may be
        public string FunctionName => provider.Find(id)[1];

        public string OwnerFullyQualifiedName => provider.Find(id)[0];

        public string[] Parameters { get; }
    }

    public static class MetadataSectionHelpers
    {
        public static FunctionResult GetFunctionItems(IMetadataSectionAssemblyProvider provider, MetadataId id)
        {
            throw new NotSupportedException("the slow way, which nobody should go for names");
        }

        public static FunctionResult GetFunctionItemsLight(IMetadataSectionAssemblyProvider provider, MetadataId id)
        {
            Script.Current.Hit("GetFunctionItemsLight");
            return new FunctionResult(provider, id, null);
        }
    }
}
