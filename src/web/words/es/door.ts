import type { Words } from '../dictionary.ts';

/** Signing in, signing up, and links that work once. */
export default {
  signIn: 'Iniciar sesión',
  signInInstead: 'Iniciar sesión con una cuenta existente',
  createAccount: 'Crear cuenta',
  createAnAccount: 'Crear una cuenta',
  inboxesAt: (domain: string, plan: string) => `Buzones en ${domain}, con el plan ${plan}.`,
  sessionEnded: 'La sesión ha terminado. Al iniciar sesión de nuevo se continúa en el mismo lugar.',
  email: 'Correo electrónico',
  code: 'Código',
  codeHint: 'De tu aplicación de autenticación, o un código de recuperación.',
  cannotSignIn:
    '¿No puedes iniciar sesión? Un propietario de la cuenta puede crear un enlace en «Miembros», y un operador con {command}.',
  join: 'Unirse',
  joinAccount: (account: string) => `Unirse a ${account}`,
  joinAbout: (email: string) =>
    `Sesión iniciada como ${email}. La contraseña no cambia, y se puede cambiar de una cuenta a otra.`,
  choosePassword: 'Elegir una contraseña',
  chooseNewPassword: 'Elegir una contraseña nueva',
  invitedAsOwner: (account: string) => `Invitación a ${account} como propietario.`,
  invitedAsMember: (account: string) => `Invitación a ${account} como miembro.`,
  returning: (account: string) => `Este enlace de un solo uso permite volver a entrar en ${account}.`,
  setUp: 'Configurar Postern',
  setUpAbout: 'Aquí se crea la cuenta que opera este servidor.',
  setUpKnown: 'Elige cómo inicia sesión el operador de este servidor.',
  continue: 'Continuar',
  badLink: 'Este enlace no funciona',
  backToSignIn: 'Volver al inicio de sesión',
  noAccess: 'Sin acceso',
  accountIs: {
    active: 'Esta cuenta está activa',
    unverified: 'Esta cuenta no está verificada',
    suspended: 'Esta cuenta está suspendida',
    inactive: 'Esta cuenta está inactiva',
  },
  notUsable: (account: string) => `${account} no se puede usar. El operador del servidor puede ayudar.`,
  switchTo: (account: string) => `Cambiar a ${account}`,
  signOut: 'Cerrar sesión',
  singleSignOn: 'Iniciar sesión con inicio de sesión único',
  continueWithSingleSignOn: 'Continuar con inicio de sesión único',
  oidcProblems: {
    unreachable:
      'No se puede contactar con el proveedor de identidad. Usar la contraseña o intentarlo más tarde.',
    refused:
      'Se rechazó la respuesta del proveedor de identidad. Intentarlo de nuevo; si continúa, consultar al operador del servidor.',
    expired: 'Este inicio de sesión tardó demasiado o ya se usó. Intentarlo de nuevo.',
    unverified: 'El proveedor de identidad no ha verificado el correo.',
    not_allowed:
      'No se permite iniciar sesión aquí. Un propietario de la cuenta puede enviar una invitación.',
    not_connected:
      'Aquí una cuenta tiene este correo, pero sin conexión con el inicio de sesión único. Abrir la invitación, o iniciar sesión con la contraseña y conectar el inicio de sesión único en «Perfil».',
    other_email:
      'El proveedor de identidad indica un correo distinto del invitado. La invitación sigue siendo válida: usar allí el correo invitado o continuar de otra forma.',
    other_person:
      'Este correo pertenece a otra persona en el proveedor de identidad. Un propietario debe quitar antes a ese miembro.',
  },
} satisfies Words['door'];
