// SPDX-License-Identifier: Apache-2.0
/**
 * Keys of encrypted bodies from the Transit secrets engine of HashiCorp Vault or OpenBao: the keys themselves never leave it. Nothing that a
 * message says becomes part of a path unless it is the name of a key, as {@link io.safebunny.encryption.Encrypted#key} allows it.
 */
@NullMarked
package io.safebunny.vault;

import org.jspecify.annotations.NullMarked;
