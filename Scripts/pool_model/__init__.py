"""The package of Scripts/pool-model: how the pool's designs fare on more processors than are at hand. README.md says what is modelled."""
