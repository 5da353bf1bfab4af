using System.Globalization;

namespace Dotspot.Dtp
{
    /// <summary>Numbers as text that is the same on every machine.</summary>
    internal static class Invariant
    {
        /// <summary>A whole number in decimal digits without groups.</summary>
        public static string Text(long number)
        {
            return number.ToString(CultureInfo.InvariantCulture);
        }
    }
}
