/* pages/builder/qr-dialog.tsx — the address of a form as a QR code: for a poster, a screen, a slip of paper. */
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { qrOf, type Squares, svgOf } from '../../ui/qr';
import { saveFile } from '../../ui/save-file';
import { t as ui } from '../../texts/ui';
import { t } from '../../texts/panel';
import styles from './panel.module.css';

/** Pixels of a square in the copied picture, and the light border in squares. */
const SQUARE = 8;
const BORDER = 4;

/* The policy of the page lets no picture in that a script has made as a file; a canvas is drawn. */
function pictureOf(squares: Squares): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (squares.length + 2 * BORDER) * SQUARE;
  const brush = canvas.getContext('2d');
  if (brush === null) return Promise.reject(new Error('no canvas'));
  brush.fillStyle = 'white';
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.fillStyle = 'black';
  squares.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) brush.fillRect((x + BORDER) * SQUARE, (y + BORDER) * SQUARE, SQUARE, SQUARE);
    }),
  );
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png'),
  );
}

interface QrDialogProps {
  readonly address: string;
  /** The name of the flow, of which the file has its own. */
  readonly name: string;
  readonly onClose: () => void;
}

export function QrDialog({ address, name, onClose }: QrDialogProps) {
  const squares = qrOf(address);
  const copy = async (code: Squares) => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': pictureOf(code) })]);
      announce(ui.copied(t.theQrCode));
    } catch {
      announce(ui.couldNotCopy(t.theQrCode));
    }
  };
  const size = (squares?.length ?? 0) + 2 * BORDER;
  return (
    <Dialog
      title={t.qrCode}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{ui.close}</Button>
          {squares !== null && (
            <>
              {window.isSecureContext && (
                <Button icon="copy" onClick={() => void copy(squares)}>
                  {t.copyThePicture}
                </Button>
              )}
              <Button icon="file" onClick={() => saveFile(`${name}.svg`, svgOf(squares), 'image/svg+xml')}>
                {t.saveThePicture}
              </Button>
            </>
          )}
        </>
      }
    >
      {squares === null ? (
        <p>{t.theAddressIsTooLong}</p>
      ) : (
        <>
          <p className="mid">{t.whoScansIt}</p>
          <svg
            className={styles['qr']}
            viewBox={`0 0 ${size} ${size}`}
            shapeRendering="crispEdges"
            role="img"
            aria-label={t.qrCodeOf(address)}
          >
            <rect width={size} height={size} fill="white" />
            {squares.map((row, y) =>
              row.map(
                (isDark, x) =>
                  isDark && <rect key={`${x} ${y}`} x={x + BORDER} y={y + BORDER} width={1} height={1} />,
              ),
            )}
          </svg>
          <p className="s">
            <code>{address}</code>
          </p>
        </>
      )}
    </Dialog>
  );
}
