"""The packages whose documentation strings make the data set, and their public modules.

A closed table and not a walk over the disk: a new private module, a deprecated
public one that warns when touched, or one that opens a window can never be
imported by accident, and the same versions give the same items everywhere.
Modules that need a further package (pandas.io.formats.style, jinja2) stay out.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One source: the import name, its distribution, its licence, its modules.

    `modules` are given below the import name; "" is the package itself.
    """

    name: str
    distribution: str
    licence: str
    modules: tuple[str, ...]

    def paths(self) -> tuple[str, ...]:
        """The modules as import paths."""
        return tuple(f"{self.name}.{part}" if part else self.name for part in self.modules)


def _package(name: str, distribution: str, licence: str, *, top: bool, modules: str) -> Package:
    parts = ("",) * top + tuple(modules.split())
    return Package(name=name, distribution=distribution, licence=licence, modules=parts)


MATPLOTLIB = _package(
    "matplotlib",
    "matplotlib",
    "Matplotlib licence (based on PSF-2.0)",
    top=True,
    modules="""
    animation artist axes axis bezier cbook collections colorbar colors container contour
    dates figure font_manager gridspec hatch image layout_engine legend lines markers mathtext
    mlab offsetbox patches path patheffects projections pyplot quiver sankey scale spines style
    table text ticker transforms tri units widgets""",
)
NUMPY = _package(
    "numpy",
    "numpy",
    "BSD-3-Clause",
    top=True,
    modules="""
    char ctypeslib exceptions fft lib.format lib.npyio lib.scimath lib.stride_tricks linalg ma
    polynomial polynomial.chebyshev polynomial.hermite polynomial.hermite_e polynomial.laguerre
    polynomial.legendre polynomial.polynomial random rec strings testing""",
)
PANDAS = _package(
    "pandas",
    "pandas",
    "BSD-3-Clause",
    top=True,
    modules="""
    api.extensions api.indexers api.types api.typing errors plotting testing
    tseries.frequencies tseries.offsets""",
)
SCIPY = _package(
    "scipy",
    "scipy",
    "BSD-3-Clause",
    top=False,
    modules="""
    cluster.hierarchy cluster.vq constants differentiate fft fftpack integrate interpolate io
    linalg linalg.blas linalg.lapack ndimage optimize signal signal.windows sparse
    sparse.csgraph sparse.linalg spatial spatial.distance spatial.transform special stats
    stats.contingency stats.mstats stats.qmc stats.sampling""",
)
SKLEARN = _package(
    "sklearn",
    "scikit-learn",
    "BSD-3-Clause",
    top=True,
    modules="""
    base calibration cluster compose covariance cross_decomposition datasets decomposition
    discriminant_analysis dummy ensemble exceptions feature_extraction feature_extraction.image
    feature_extraction.text feature_selection frozen gaussian_process gaussian_process.kernels
    impute inspection isotonic kernel_approximation kernel_ridge linear_model manifold metrics
    metrics.cluster metrics.pairwise mixture model_selection multiclass multioutput naive_bayes
    neighbors neural_network pipeline preprocessing random_projection semi_supervised svm tree
    utils""",
)
PACKAGES = (MATPLOTLIB, NUMPY, PANDAS, SCIPY, SKLEARN)
