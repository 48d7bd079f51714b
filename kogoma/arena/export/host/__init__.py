"""What stands in an exported file where the engine has numpy records and libraries that it builds."""
