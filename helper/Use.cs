namespace Dotspot.Dtp
{
    internal enum Use
    {
        Reading,

        // Only a snapshot shows whether this is there: the declared type lacks it.
        ReadingLater,

        // Most snapshots are read without these names.
        Names,
    }
}
