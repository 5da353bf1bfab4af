namespace Dotspot.Dtp
{
    // The values are exit codes. dotspot itself also has the stages build (13) and launch (14), which come before this
    // program runs.
    internal enum Stage
    {
        // A wrong command line counts as this too.
        Input = 10,

        // The snapshot is of another family, or newer than JetBrains' libraries.
        Layout = 11,

        Decoder = 12,

        Bind = 15,

        Metadata = 16,

        Walk = 17,

        Output = 18,
    }
}
