namespace Dotspot.Dtp
{
    /// <summary>A stage of decoding. The value is the exit code of a run that fails there.</summary>
    /// <remarks>dotspot itself has two more, build (13) and launch (14), which lie before this program runs.</remarks>
    internal enum Stage
    {
        /// <summary>No such file, not the index of a snapshot, sections missing, unreadable; also a wrong command line.</summary>
        Input = 10,

        /// <summary>JetBrains' libraries refuse the snapshot: another family, or newer than they are.</summary>
        Layout = 11,

        /// <summary>No folder with JetBrains' libraries was found.</summary>
        Decoder = 12,

        /// <summary>An assembly, a type or a member is missing.</summary>
        Bind = 15,

        /// <summary>No metadata section, or names can't be resolved.</summary>
        Metadata = 16,

        /// <summary>The tree could not be read to its end.</summary>
        Walk = 17,

        /// <summary>The result can't be written.</summary>
        Output = 18,
    }
}
