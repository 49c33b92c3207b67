// SPDX-License-Identifier: Apache-2.0
/**
 * Which keys of encrypted bodies are still in use: looks at everything that this node keeps, without any key, and says which places it could not
 * look at. No key is called unused while one place is not known.
 */
@NullMarked
package io.safebunny.keys;

import org.jspecify.annotations.NullMarked;
