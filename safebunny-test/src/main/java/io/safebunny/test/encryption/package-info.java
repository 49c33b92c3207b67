// SPDX-License-Identifier: Apache-2.0
/** Keys for tests of what is encrypted. */
@NullMarked
package io.safebunny.test.encryption;

import org.jspecify.annotations.NullMarked;
