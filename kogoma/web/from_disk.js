// Says at once what to do if the page is opened from a disk, where browsers run no modules. It is not a module itself.

if (location.protocol === "file:") document.documentElement.dataset.fromDisk = "true";
