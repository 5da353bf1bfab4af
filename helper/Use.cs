namespace Dotspot.Dtp
{
    /// <summary>What a type or member is needed for.</summary>
    internal enum Use
    {
        /// <summary>For reading any snapshot.</summary>
        Reading,

        /// <summary>For reading any snapshot, but whether it is there shows only with one: the declared type has it not.</summary>
        ReadingLater,

        /// <summary>For the names of nodes that have no signature; most snapshots are read without.</summary>
        Names,
    }
}
