using System.Globalization;

namespace Dotspot.Dtp
{
    internal static class Invariant
    {
        public static string Text(long number)
        {
            return number.ToString(CultureInfo.InvariantCulture);
        }
    }
}
