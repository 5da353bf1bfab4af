namespace Dotspot.Dtp
{
    // This program relies on these names in JetBrains' libraries; they occur nowhere else. None of them is part of a
    // published interface: the names are those that public code uses, so each is looked up at run time and a missing
    // one is an error that names it. [?] marks what no public code confirms.
    internal static class Contract
    {
        // This library identifies an install and its version.
        public const string CentralAssembly = "JetBrains.dotTrace.SnapShotApi";

        // These libraries contain the types. Only newer installs have the last one.
        public static readonly string[] Assemblies =
        {
            "JetBrains.Lifetimes",
            "JetBrains.Platform.Core",
            "JetBrains.Profiler.Snapshot",
            "JetBrains.Profiler.Snapshot.Interface",
            "JetBrains.dotTrace.Snapshot.Performance",
            "JetBrains.DotTrace.Dal",
            CentralAssembly,
            "JetBrains.Profiler.Windows",
            "JetBrains.DotTrace.Sdk",
        };

        // Its conversion operator makes a path from text.
        public static readonly TypeName FileSystemPath = new TypeName("JetBrains.Platform.Core", "JetBrains.Util.FileSystemPath");

        public static readonly TypeName OpenSnapshotWithRealtimeData =
            new TypeName("JetBrains.DotTrace.Dal", "JetBrains.dotTrace.Snapshot.Performance.OpenSnapshotWithRealtimeData");

        public static readonly TypeName SnapshotStorage =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Storage.IWriteableSnapshotStorage");

        public static readonly TypeName PerformanceSnapshotReader =
            new TypeName("JetBrains.dotTrace.Snapshot.Performance", "JetBrains.dotTrace.Snapshot.Performance.PerformanceSnapshotReader");

        public static readonly TypeName Lifetime = new TypeName("JetBrains.Lifetimes", "JetBrains.Lifetimes.Lifetime");

        // This describes the profiled run, and is created with default arguments.
        public static readonly TypeName PerformanceInfo =
            new TypeName("JetBrains.Profiler.Windows", "JetBrains.Profiler.Windows.Info.PerformanceInfo");

        public static readonly TypeName PerformanceSnapshot =
            new TypeName(CentralAssembly, "JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot");

        // [?] applies to this type and the next two.
        public static readonly TypeName FuidToMetadataIdConverter =
            new TypeName("JetBrains.Profiler.Snapshot", "JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter");

        public static readonly TypeName MetadataSection =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Section.Metadata.IMetadataSection");

        public static readonly TypeName MetadataSectionHelpers =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Section.Metadata.Helpers.MetadataSectionHelpers");

        // OpenSnapshotWithRealtimeData has this static method, from a path to a storage.
        public const string OpenSnapshot = "OpenSnapshot";

        // Lifetime has this static method, from the outer lifetime to a definition.
        public const string Define = "Define";

        public const string DefinedLifetime = "Lifetime";

        // This method of a definition closes everything opened in its lifetime.
        public const string Terminate = "Terminate";

        // This is a number of ticks per second.
        public const string TimeResolution = "TimeResolution";

        // This is a node above all threads.
        public const string RootNodeAllThreads = "RootNodeAllThreads";

        // The interface JetBrains.dotTrace.SnapShotApi.Nodes.ICallTreeNode`1 has this method too.
        public const string GetChildren = "GetChildren";

        public const string PresentableName = "PresentableName";

        public const string Info = "Info";

        // This is null for special nodes. The interface JetBrains.dotTrace.SnapShotApi.ICallTreeNodeInfo has it too.
        public const string Signature = "Signature";

        // This time is in ticks and includes callees.
        public const string Time = "Time";

        // This time is in ticks and excludes callees.
        public const string OwnTime = "OwnTime";

        // A sampling profile counts samples here.
        public const string Calls = "Calls";

        // Signatures and [?] functions in the metadata have this property and the next.
        public const string FunctionName = "FunctionName";

        public const string OwnerFullyQualifiedName = "OwnerFullyQualifiedName";

        // This calls a function with a provider that is disposed when the call returns.
        public const string ExecuteWithMetadataAssemblyProvider = "ExecuteWithMetadataAssemblyProvider";

        // This reads a function without its parameters, which is much faster than with them.
        public const string GetFunctionItemsLight = "GetFunctionItemsLight";

        // [?] This and the next two are simple names of types. A node's property of the type FunctionUID is used,
        // whatever its name.
        public const string FunctionUid = "FunctionUID";

        public const string FunctionId = "FunctionId";

        public const string MetadataId = "MetadataId";
    }
}
