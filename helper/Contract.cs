namespace Dotspot.Dtp
{
    /// <summary>
    /// The names in JetBrains' libraries that this program relies on; they occur nowhere else. None of them is part of a published
    /// interface: the names are those that public code uses, so each is looked up at run time and a missing one is an error
    /// that names it. <c>[?]</c> marks what no public code confirms.
    /// </summary>
    internal static class Contract
    {
        /// <summary>The library that identifies an install and its version.</summary>
        public const string CentralAssembly = "JetBrains.dotTrace.SnapShotApi";

        /// <summary>The libraries that contain the types. Only newer installs have the last one.</summary>
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

        /// <summary>A path. Made from text by its conversion operator.</summary>
        public static readonly TypeName FileSystemPath = new TypeName("JetBrains.Platform.Core", "JetBrains.Util.FileSystemPath");

        /// <summary>Opens the files of a snapshot.</summary>
        public static readonly TypeName OpenSnapshotWithRealtimeData =
            new TypeName("JetBrains.DotTrace.Dal", "JetBrains.dotTrace.Snapshot.Performance.OpenSnapshotWithRealtimeData");

        /// <summary>The open files of a snapshot.</summary>
        public static readonly TypeName SnapshotStorage =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Storage.IWriteableSnapshotStorage");

        /// <summary>Reads the sections of a performance snapshot.</summary>
        public static readonly TypeName PerformanceSnapshotReader =
            new TypeName("JetBrains.dotTrace.Snapshot.Performance", "JetBrains.dotTrace.Snapshot.Performance.PerformanceSnapshotReader");

        /// <summary>How long opened objects stay open.</summary>
        public static readonly TypeName Lifetime = new TypeName("JetBrains.Lifetimes", "JetBrains.Lifetimes.Lifetime");

        /// <summary>Information about the profiled run, created with default arguments.</summary>
        public static readonly TypeName PerformanceInfo =
            new TypeName("JetBrains.Profiler.Windows", "JetBrains.Profiler.Windows.Info.PerformanceInfo");

        /// <summary>The snapshot with its call tree.</summary>
        public static readonly TypeName PerformanceSnapshot =
            new TypeName(CentralAssembly, "JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot");

        /// <summary>[?] Turns the number of a function into the number of its metadata.</summary>
        public static readonly TypeName FuidToMetadataIdConverter =
            new TypeName("JetBrains.Profiler.Snapshot", "JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter");

        /// <summary>[?] The metadata of the profiled modules.</summary>
        public static readonly TypeName MetadataSection =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Section.Metadata.IMetadataSection");

        /// <summary>[?] Reads functions from a metadata section.</summary>
        public static readonly TypeName MetadataSectionHelpers =
            new TypeName("JetBrains.Profiler.Snapshot.Interface", "JetBrains.Profiler.Snapshot.Section.Metadata.Helpers.MetadataSectionHelpers");

        /// <summary>Static, of <see cref="OpenSnapshotWithRealtimeData"/>: takes a path, returns a storage.</summary>
        public const string OpenSnapshot = "OpenSnapshot";

        /// <summary>Static, of <see cref="Lifetime"/>: takes the outer lifetime, returns a definition.</summary>
        public const string Define = "Define";

        /// <summary>On the result of <see cref="Define"/>: the lifetime that it defines.</summary>
        public const string DefinedLifetime = "Lifetime";

        /// <summary>On the result of <see cref="Define"/>: ends the lifetime and closes everything opened in it.</summary>
        public const string Terminate = "Terminate";

        /// <summary>Of <see cref="PerformanceSnapshot"/>: ticks per second.</summary>
        public const string TimeResolution = "TimeResolution";

        /// <summary>Of <see cref="PerformanceSnapshot"/>: a node above all threads.</summary>
        public const string RootNodeAllThreads = "RootNodeAllThreads";

        /// <summary>Of a node: its children. Also on the interface <c>JetBrains.dotTrace.SnapShotApi.Nodes.ICallTreeNode`1</c>.</summary>
        public const string GetChildren = "GetChildren";

        /// <summary>Of a node: how dotTrace shows it.</summary>
        public const string PresentableName = "PresentableName";

        /// <summary>Of a node: its values.</summary>
        public const string Info = "Info";

        /// <summary>Of a node: its method, null for special nodes. Also on <c>JetBrains.dotTrace.SnapShotApi.ICallTreeNodeInfo</c>.</summary>
        public const string Signature = "Signature";

        /// <summary>Of a node's values: ticks with callees.</summary>
        public const string Time = "Time";

        /// <summary>Of a node's values: ticks without callees.</summary>
        public const string OwnTime = "OwnTime";

        /// <summary>Of a node's values: calls, or samples.</summary>
        public const string Calls = "Calls";

        /// <summary>Of a signature, and [?] of a function in the metadata: the method's own name.</summary>
        public const string FunctionName = "FunctionName";

        /// <summary>Of a signature, and [?] of a function in the metadata: the type's name with its namespace.</summary>
        public const string OwnerFullyQualifiedName = "OwnerFullyQualifiedName";

        /// <summary>Of <see cref="MetadataSection"/>: calls a function with a provider that is disposed when the call returns.</summary>
        public const string ExecuteWithMetadataAssemblyProvider = "ExecuteWithMetadataAssemblyProvider";

        /// <summary>Static, of <see cref="MetadataSectionHelpers"/>: a function without its parameters, which is much faster than with them.</summary>
        public const string GetFunctionItemsLight = "GetFunctionItemsLight";

        /// <summary>[?] The simple name of the type of a function's number in the tree. A node's property of this type is used, whatever its name.</summary>
        public const string FunctionUid = "FunctionUID";

        /// <summary>[?] The simple name of the type between a function's number in the tree and that of its metadata.</summary>
        public const string FunctionId = "FunctionId";

        /// <summary>[?] The simple name of the type of a function's number in the metadata.</summary>
        public const string MetadataId = "MetadataId";
    }
}
