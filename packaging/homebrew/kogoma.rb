# A formula for a tap: it installs the wheels, whose native libraries Homebrew's own formulas would have to build.
class Kogoma < Formula
  include Language::Python::Virtualenv

  desc "USI engine for small-board shogi"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/kogoma-@VERSION@-py3-none-macosx_11_0_arm64.whl", using: :nounzip
      sha256 "@SHA256 kogoma-@VERSION@-py3-none-macosx_11_0_arm64.whl@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/kogoma-@VERSION@-py3-none-macosx_11_0_x86_64.whl", using: :nounzip
      sha256 "@SHA256 kogoma-@VERSION@-py3-none-macosx_11_0_x86_64.whl@"
    end
  end
  on_linux do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/kogoma-@VERSION@-py3-none-manylinux_2_17_aarch64.whl", using: :nounzip
      sha256 "@SHA256 kogoma-@VERSION@-py3-none-manylinux_2_17_aarch64.whl@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/kogoma-@VERSION@-py3-none-manylinux_2_17_x86_64.whl", using: :nounzip
      sha256 "@SHA256 kogoma-@VERSION@-py3-none-manylinux_2_17_x86_64.whl@"
    end
  end

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13", without_pip: false)
    # pip also downloads numpy and platformdirs, as wheels.
    system libexec/"bin/python", "-m", "pip", "install", Dir["*.whl"].first
    bin.install_symlink libexec/"bin/usi-engine"
  end

  test do
    assert_match "passed", shell_output("#{bin}/usi-engine info")
  end
end
