// SPDX-License-Identifier: Apache-2.0
/** The application and the tests of the guide to testing, as they stand there. */
@NullMarked
package io.safebunny.docs.testing;

import org.jspecify.annotations.NullMarked;
