// SeamTests placeholder
